import { isObject } from "../base/json.js";
import { ApiError } from "./api-error.js";
import { proveServer } from "./prove-server.js";
import { keepToken } from "./token.js";

export { ApiError } from "./api-error.js";

/**
 * Requests to the server of this page. All addresses are relative to the page, which can be mounted anywhere. The token
 * is sent only to a server that has proven that it knows it.
 */
export class Api {
  readonly #base = new URL(".", location.href);
  readonly #token: string;
  #proof: Promise<void> | undefined;

  constructor(token: string) {
    this.#token = token;
  }

  /** The connection was lost: the next server may be another one, and has to prove itself again. */
  forgetProof(): void {
    this.#proof = undefined;
  }

  /**
   * Keeps a token for the next load in this tab. The one that the server made for tabs is void after its end, so that a
   * program that takes the port then, and serves a page of its own, finds nothing of use.
   */
  keepFor(tabToken: string | undefined): void {
    keepToken(tabToken ?? this.#token);
  }

  get(path: string, signal?: AbortSignal): Promise<unknown> {
    return this.#json(path, { ...(signal && { signal }) });
  }

  post(path: string, body: unknown = {}): Promise<unknown> {
    return this.#json(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  delete(path: string): Promise<unknown> {
    return this.#json(path, { method: "DELETE" });
  }

  async text(path: string): Promise<string> {
    return (await this.open(path, {})).text();
  }

  /** An answer whose body is read piece by piece. */
  async open(path: string, init: RequestInit): Promise<Response> {
    await this.#prove();
    const response = await fetch(new URL(path, this.#base), {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${this.#token}` },
      cache: "no-store",
      redirect: "error",
    }).catch((error: unknown) => {
      if (error instanceof TypeError) this.forgetProof();
      throw error;
    });
    if (response.ok) return response;
    throw new ApiError(response.status, await response.json().catch(() => undefined));
  }

  async #prove(): Promise<void> {
    this.#proof ??= proveServer(this.#base, this.#token);
    try {
      await this.#proof;
    } catch (error) {
      this.forgetProof();
      throw error;
    }
  }

  async #json(path: string, init: RequestInit): Promise<unknown> {
    const response = await this.open(path, init);
    return response.status === 204 ? undefined : response.json();
  }
}

/** The address of the native API of a source. */
export function nativePath(source: string, path: string): string {
  return `sources/${encodeURIComponent(source)}/hawser/v1${path}`;
}

/** A list in an answer; empty if there is none. */
export function listOf<T>(body: unknown, name: string): readonly T[] {
  const list = isObject(body) ? body[name] : undefined;
  return Array.isArray(list) ? (list as T[]) : [];
}

/** A sentence about a failure of a request. */
export function problemOf(error: unknown): string {
  if (error instanceof ApiError) return [error.message, error.hint].filter(Boolean).join(" ");
  if (error instanceof TypeError) return "The server cannot be reached.";
  return error instanceof Error ? error.message : String(error);
}
