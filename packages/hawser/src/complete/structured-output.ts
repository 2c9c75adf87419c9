import { HawserError, type Issue, isHawserError } from "../base/index.js";
import type { JsonSchema, Options, StandardSchema } from "../options/index.js";
import { loadOutputSchemas, type OutputSchema, type ParsedOutput } from "../schema/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { EndedTurn } from "./completion.js";
import { extractJson } from "./parse/extract-json.js";
import { missingPrompt, repairPrompt } from "./repair-prompt.js";

/** The value that a call must return because the caller gave a schema. */
export class StructuredOutput {
  readonly #schema: OutputSchema;
  readonly #textCounts: boolean;

  constructor(schema: OutputSchema, textCounts: boolean) {
    this.#schema = schema;
    this.#textCounts = textCounts;
  }

  /** The options that ask the CLI for the value. */
  get options(): Options {
    return { outputFormat: { type: "json_schema", schema: this.#schema.sent } };
  }

  async parse({ result, text, givenOutput }: EndedTurn): Promise<ParsedOutput> {
    // A value that the CLI rejected may still fit, because the CLI checks only a part of the schema.
    const output = cliRejectedOutput(result) ? givenOutput : result.structured_output;
    if (output !== undefined) return this.#schema.parse(output);
    const found = this.#textCounts ? await this.#parseText(text) : undefined;
    return found ?? { issues: [MISSING] };
  }

  repairPrompt(issues: readonly Issue[]): string {
    return issues.includes(MISSING) ? missingPrompt() : repairPrompt(this.#schema, issues);
  }

  failure({ result, text, givenOutput }: EndedTurn, found: readonly Issue[]): HawserError {
    const issues = found.slice(0, MAX_ISSUES);
    const message = issues.includes(MISSING)
      ? "The model gave no value for the schema."
      : "The model's value does not fit the schema.";
    const partialText = givenOutput === undefined ? text : JSON.stringify(givenOutput);
    return new HawserError("structured_output", message, { result, issues, partialText });
  }

  /** A model may write the value as text instead of calling the StructuredOutput tool. */
  async #parseText(text: string): Promise<ParsedOutput | undefined> {
    let written: unknown;
    try {
      written = extractJson(text);
    } catch (error) {
      if (isHawserError(error, "structured_output")) return undefined;
      throw error;
    }
    const parsed = await this.#schema.parse(written);
    if (parsed.issues === undefined || !this.#schema.isWrapped) return parsed;
    return this.#schema.parse({ value: written });
  }
}

/** A long list of wrong items would only repeat the same issue. */
const MAX_ISSUES = 100;

const MISSING: Issue = { message: "is missing: the model answered with text only" };

/**
 * Throws `invalid_options` for a schema that cannot be used. If `textCounts` is false, only a value that the model gave
 * to the StructuredOutput tool counts, because JSON in its text may be a quotation of the prompt.
 */
export async function prepareStructuredOutput(
  schema: StandardSchema | JsonSchema,
  textCounts = true,
): Promise<StructuredOutput> {
  const { compileOutputSchema } = await loadOutputSchemas();
  return new StructuredOutput(await compileOutputSchema(schema), textCounts);
}

/** Whether the CLI gave up because it rejected every value that the model gave. */
export function cliRejectedOutput({ subtype }: ResultMessage): boolean {
  return subtype === "error_max_structured_output_retries";
}

/** The error of a call that stopped at a limit before the model gave the value. */
export function stoppedWithoutOutput(
  stop: "max_turns" | "max_budget",
  result: ResultMessage,
): HawserError {
  return new HawserError(stop, undefined, { result });
}
