import { objectOf, textField } from "../base/json.js";

/** An answer that is no success. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** The whole answer, such as the record of a question that was answered before. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    const error = objectOf(objectOf(body)["error"]);
    super(textField(error, "message") ?? `The server answered with the status ${status}.`);
    this.name = "ApiError";
    this.status = status;
    this.code = textField(error, "code") ?? "unknown";
    this.hint = textField(error, "hint");
    this.body = body;
  }
}
