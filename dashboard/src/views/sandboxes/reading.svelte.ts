// Something that is read once, and again when what it is of has changed: an answer that nobody wants any more is dropped.
export class Reading<T> {
  value: T | null = $state.raw(null);
  error: Error | null = $state.raw(null);

  /** For `$effect`: null reads nothing. What was read before stays until there is something new. */
  read(ask: (() => Promise<T>) | null): () => void {
    let isWanted = true;
    if (ask === null) {
      this.value = null;
      this.error = null;
    } else
      ask().then(
        (value) => {
          if (!isWanted) return;
          this.value = value;
          this.error = null;
        },
        (error: unknown) => {
          if (!isWanted) return;
          this.value = null;
          this.error = error instanceof Error ? error : new Error(String(error));
        },
      );
    return () => (isWanted = false);
  }
}
