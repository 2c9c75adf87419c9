import { HawserError, type Issue, isHawserError } from "../base/index.js";
import type { JsonSchema, Options, StandardSchema } from "../options/index.js";
import { compileOutputSchema, type OutputSchema, type ReadOutput } from "../schema/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { EndedTurn } from "./completion.js";
import { extractJson } from "./parse/extract-json.js";
import { missingPrompt, repairPrompt } from "./repair-prompt.js";

/** The value that a call owes, because it was asked for by a schema. */
export class StructuredOutput {
  readonly #schema: OutputSchema;

  constructor(schema: OutputSchema) {
    this.#schema = schema;
  }

  /** What the CLI is told of it. */
  get options(): Options {
    return { outputFormat: { type: "json_schema", schema: this.#schema.sent } };
  }

  async read({ result, text, givenOutput }: EndedTurn): Promise<ReadOutput> {
    // What the CLI refused may fit all the same: it knows less of the schema.
    const output = cliRejectedOutput(result) ? givenOutput : result.structured_output;
    if (output !== undefined) return this.#schema.parse(output);
    const found = await this.#inWords(text);
    return found ?? { issues: [MISSING] };
  }

  repairPrompt(issues: readonly Issue[]): string {
    return issues.includes(MISSING) ? missingPrompt() : repairPrompt(this.#schema, issues);
  }

  failure({ result, text, givenOutput }: EndedTurn, found: readonly Issue[]): HawserError {
    const issues = found.slice(0, MOST_ISSUES);
    const message = issues.includes(MISSING)
      ? "The model gave no value for the schema."
      : "The model's value does not fit the schema.";
    const partialText = givenOutput === undefined ? text : JSON.stringify(givenOutput);
    return new HawserError("structured_output", message, { result, issues, partialText });
  }

  /** A model may write the value down in place of handing it over; what fits is taken. */
  async #inWords(text: string): Promise<ReadOutput | undefined> {
    let written: unknown;
    try {
      written = extractJson(text);
    } catch (error) {
      if (isHawserError(error, "structured_output")) return undefined;
      throw error;
    }
    const read = await this.#schema.parse(written);
    if (read.issues === undefined || !this.#schema.isWrapped) return read;
    return this.#schema.parse({ value: written });
  }
}

/** A list of a million wrong items is wrong once. */
const MOST_ISSUES = 100;

const MISSING: Issue = { message: "is missing: the model answered in words only" };

export async function prepareStructuredOutput(
  schema: StandardSchema | JsonSchema,
): Promise<StructuredOutput> {
  return new StructuredOutput(await compileOutputSchema(schema));
}

/** Whether the CLI gave up, since each value that the model gave was wrong. */
export function cliRejectedOutput({ subtype }: ResultMessage): boolean {
  return subtype === "error_max_structured_output_retries";
}

/** The call stopped at a limit before it gave its value. */
export function stoppedWithoutOutput(
  stop: "max_turns" | "max_budget",
  result: ResultMessage,
): HawserError {
  return new HawserError(stop, undefined, { result });
}
