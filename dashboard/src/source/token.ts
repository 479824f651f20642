// The token: behind the `#` of a link, where no server sees it; taken out of the address at once and kept for this tab.
const key = "vivarium-token";

const given = (): string | null => new URLSearchParams(location.hash.slice(1)).get("token");

export const hasGivenToken = (): boolean => given() !== null;

/** The token of the address, or the one that is kept; null where there is none. */
export function takeToken(): string | null {
  const token = given();
  if (token !== null) {
    keepToken(token);
    // A token in the address would be in bookmarks, and in what is shown to others.
    history.replaceState(null, "", "#/overview");
    dispatchEvent(new HashChangeEvent("hashchange"));
    return token;
  }
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // Without storage it is asked for again after a reload.
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // There is none.
  }
}
