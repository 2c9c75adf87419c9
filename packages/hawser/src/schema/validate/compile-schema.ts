import { type Issue, isObject } from "../../base/index.js";
import type { SchemaDocument } from "../schema-document.js";
import { isSchema, type Schema } from "../subschemas.js";
import { childPath } from "../value-path.js";
import { ARRAY_KEYWORDS, UNEVALUATED_ITEMS } from "./array-keywords.js";
import { COMBINING_KEYWORDS } from "./combining-keywords.js";
import {
  type CheckSchema,
  Evaluation,
  type KeywordContext,
  type KeywordRule,
  type Keywords,
} from "./keyword.js";
import { matchInWorker, type UnansweredMatch } from "./match-in-worker.js";
import { OBJECT_KEYWORDS, UNEVALUATED_PROPERTIES } from "./object-keywords.js";
import { PatternMatcher } from "./pattern-matcher.js";
import { SCALAR_KEYWORDS } from "./scalar-keywords.js";

/** Resolves to the issues of a value; an empty list means that the value is valid. */
export type Validate = (value: unknown) => Promise<readonly Issue[]>;

/**
 * Compiles a JSON Schema into a function that checks values. Returns `problems` if the schema
 * itself is not valid: a keyword of the wrong shape, a wrong regular expression, a reference to
 * nothing or in a circle.
 *
 * Supports draft-07 and 2020-12 together, wherever a keyword is. Refuses `$dynamicRef`,
 * `$recursiveRef` and references to other documents. Accepts unknown keywords and uncommon formats
 * without a check. A regular expression that could be slow for a value runs in another thread with
 * a time limit, so that a value from the model cannot block the host.
 */
export function compileSchema(
  document: SchemaDocument,
): { readonly validate: Validate } | { readonly problems: readonly Issue[] } {
  const compiler = new Compiler(document);
  const check = compiler.compile(document.root, "schema");
  const problems = compiler.problems();
  if (problems.length > 0) return { problems };
  return { validate: (value) => validate((matcher) => compiler.run(check, value, matcher)) };
}

/**
 * Repeats the check until no match is pending, because the outcome of a match may decide which
 * patterns come next.
 */
async function validate(
  run: (matcher: PatternMatcher) => readonly Issue[],
): Promise<readonly Issue[]> {
  const matcher = new PatternMatcher();
  const until = performance.now() + PATTERNS_LIMIT_MS;
  for (;;) {
    const issues = run(matcher);
    const pending = matcher.takePending();
    if (pending.length === 0) return issues;
    const leftMs = Math.max(Math.round(until - performance.now()), SHORTEST_LIMIT_MS);
    const unanswered = await matchInWorker(pending, leftMs, (match, isMatch) =>
      matcher.answer(match, isMatch),
    );
    if (unanswered !== undefined) return [issueOf(unanswered)];
  }
}

/** The time limit for all patterns of one value together. */
const PATTERNS_LIMIT_MS = 2000;
const SHORTEST_LIMIT_MS = 100;

function issueOf({ match: { pattern, path }, reason, detail }: UnansweredMatch): Issue {
  const why = detail === undefined ? "" : ` (${detail})`;
  const problem =
    reason === "timed_out" ? "takes too long to match" : `cannot be matched${why} with`;
  const message = `${problem} the pattern ${pattern.source}`;
  return path === "" ? { message } : { path, message };
}

/**
 * In the order of evaluation: the `unevaluated…` keywords come last, because they need the others.
 */
const KEYWORDS: Keywords = {
  ...SCALAR_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...COMBINING_KEYWORDS,
  ...UNEVALUATED_ITEMS,
  ...UNEVALUATED_PROPERTIES,
};

/** One compiled schema. */
interface Node {
  /** Its path in the whole schema. */
  readonly where: string;
  readonly rules: KeywordRule[];
  /** The schemas that this schema applies to the same value. */
  readonly sameValue: Node[];
}

class Compiler {
  readonly #document: SchemaDocument;
  readonly #nodes = new Map<Schema, Node>();
  readonly #problems: Issue[] = [];

  /** The matcher of the current run. Runs are synchronous, so they never overlap. */
  #matcher = new PatternMatcher();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  run(check: CheckSchema, value: unknown, matcher: PatternMatcher): readonly Issue[] {
    this.#matcher = matcher;
    try {
      return check(value, "").issues;
    } catch (error) {
      // A value can be nested too deeply for the stack.
      if (error instanceof RangeError) return [{ message: "is nested too deeply to be checked" }];
      throw error;
    }
  }

  compile(schema: Schema, where: string): CheckSchema {
    if (schema === true) return () => new Evaluation();
    if (schema === false) return (_, path) => new Evaluation().addIssue(path, "is not allowed");
    const { rules } = this.#nodeOf(schema, where);
    return (value, path) => {
      const evaluation = new Evaluation();
      for (const rule of rules) rule(value, path, evaluation);
      return evaluation;
    };
  }

  problems(): readonly Issue[] {
    return [...this.#problems, ...findCircles([...this.#nodes.values()])];
  }

  #nodeOf(schema: Exclude<Schema, boolean>, where: string): Node {
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { where, rules: [], sameValue: [] };
    this.#nodes.set(schema, node);
    for (const [keyword, compileKeyword] of Object.entries(KEYWORDS)) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (value === undefined) continue;
      const rule = compileKeyword(value, this.#contextOf(schema, node, childPath(where, keyword)));
      if (rule !== undefined) node.rules.push(rule);
    }
    return node;
  }

  #contextOf(schema: Exclude<Schema, boolean>, node: Node, where: string): KeywordContext {
    const problem = (message: string, ...keys: PropertyKey[]): undefined => {
      this.#problems.push({ path: keys.reduce<string>(childPath, where), message });
    };
    const checkPart = (value: unknown, ...keys: PropertyKey[]): CheckSchema => {
      if (!isSchema(value)) problem("must be a JSON Schema", ...keys);
      return this.compile(isSchema(value) ? value : true, keys.reduce<string>(childPath, where));
    };
    return {
      schema,
      problem,
      checkPart,
      checkWhole: (value, ...keys) => {
        const check = checkPart(value, ...keys);
        const inner = isObject(value) ? this.#nodes.get(value) : undefined;
        if (inner !== undefined) node.sameValue.push(inner);
        return check;
      },
      resolve: (reference) => this.#document.resolve(reference, schema),
      matches: (pattern, text, path) => this.#matcher.test(pattern, text, path),
    };
  }
}

/** A schema that applies itself to the same value would never end. */
function findCircles(nodes: readonly Node[]): readonly Issue[] {
  const open = new Set<Node>();
  const done = new Set<Node>();
  const issues: Issue[] = [];
  const visit = (node: Node): void => {
    if (open.has(node)) issues.push({ path: node.where, message: "refers to itself without end" });
    if (open.has(node) || done.has(node)) return;
    open.add(node);
    for (const inner of node.sameValue) visit(inner);
    open.delete(node);
    done.add(node);
  };
  for (const node of nodes) visit(node);
  return issues;
}
