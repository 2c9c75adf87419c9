import { proveServer } from "./prove-server.js";

const KEY = "hawser-token";

/**
 * The token of the address, or of an earlier load in this tab. It is removed from the address, so that it is in no
 * history and in no screenshot.
 */
export function takeToken(): string {
  const found = tokenInAddress();
  if (found === undefined) return keptToken();
  const rest = location.hash.replace(/(^#|&)token=[^&]+/, "$1");
  const route = rest.startsWith("#/") ? rest : "";
  history.replaceState(null, "", `${location.pathname}${location.search}${route}`);
  return found;
}

/**
 * Takes a token that a person puts into the address of the open page, for example by pasting the address that
 * `hawser inspect` has printed. Only the fragment changes then, so that the browser does not load the page again.
 */
export function followAddress(onProblem: (error: unknown) => void): void {
  addEventListener("hashchange", () => {
    if (tokenInAddress() !== undefined) useToken(takeToken()).catch(onProblem);
  });
}

/**
 * Begins anew with another token: it may see other programs, and a page that was refused has stopped to ask. The page
 * is loaded again only if the server knows the token, because the next page of another server could read it.
 */
export async function useToken(token: string): Promise<void> {
  await proveServer(new URL(".", location.href), token);
  keepToken(token);
  location.reload();
}

/** Keeps a token for the next load in this tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

function keptToken(): string {
  return sessionStorage.getItem(KEY) ?? "";
}

function tokenInAddress(): string | undefined {
  const found = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
  return found === undefined ? undefined : decoded(found);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
