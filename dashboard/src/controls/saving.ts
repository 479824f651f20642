// Gives a file to whoever looks at the page.

/** Returns its length. */
export function saveJson(name: string, value: unknown): number {
  return saveText(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");
}

/** Returns its length. */
export function saveText(name: string, text: string, type: string): number {
  const blob = new Blob([text], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return blob.size;
}
