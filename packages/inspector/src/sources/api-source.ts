import {
  createNativeApi,
  type NativeAccess,
  type NativeApi,
  type NativeApiOptions,
} from "@hawser/gateway";
import type { Rights } from "../http/tokens.js";
import type { Source, SourceInfo } from "./source.js";

/** The users of the native API behind the two tokens. Answers to questions are recorded as theirs. */
const ACCESS: Readonly<Record<Rights, NativeAccess>> = {
  control: { name: "inspector", isAdmin: true, canControl: true },
  // A name of its own, so that readers do not use up the streams of those who answer.
  read: { name: "inspector-read", isAdmin: true, canControl: false },
};

/** A native API of this program, as a source. */
export class ApiSource implements Source {
  readonly info: SourceInfo;
  readonly api: NativeApi;
  /** The rights of the requests that are being answered. */
  readonly #rights = new WeakMap<Request, Rights>();

  constructor(info: SourceInfo, options: Omit<NativeApiOptions, "access" | "controlsProgram">) {
    this.info = info;
    this.api = createNativeApi({
      ...options,
      // Whoever has a token is the user of the program, and not a tenant of it.
      controlsProgram: true,
      access: (request) => ACCESS[this.#rights.get(request) ?? "read"],
    });
  }

  fetch(request: Request, rights: Rights): Promise<Response> {
    this.#rights.set(request, rights);
    return this.api.fetch(request);
  }
}
