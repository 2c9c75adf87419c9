import type { Issue } from "../../base/index.js";
import type { SchemaDocument } from "../schema-document.js";
import { isRecord, isSchema, type Schema } from "../subschemas.js";
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

/** Resolves to what is wrong with a value. */
export type Validate = (value: unknown) => Promise<readonly Issue[]>;

/**
 * A JSON Schema made ready to check values, or what is wrong with the schema: a keyword of the wrong
 * shape, a regular expression that is none, a reference to nowhere or round in a circle.
 *
 * Draft-07 and 2020-12 together, each keyword wherever it stands. Not supported, and refused:
 * `$dynamicRef` and `$recursiveRef`, and references to other documents. Keywords it does not know,
 * and formats beyond the common ones, pass. A regular expression that could be slow for a value runs in
 * another thread with a time limit, so that a value of the model's cannot block the host.
 */
export function compileSchema(
  document: SchemaDocument,
): { readonly validate: Validate } | { readonly problems: readonly Issue[] } {
  const compiler = new Compiler(document);
  const check = compiler.checkOf(document.root, "schema");
  const problems = compiler.problems();
  if (problems.length > 0) return { problems };
  return { validate: (value) => validate((matches) => compiler.run(check, value, matches)) };
}

/**
 * Checks anew as long as an answer about a pattern is missing: which patterns are asked may depend on
 * the answers before.
 */
async function validate(
  run: (matches: PatternMatcher) => readonly Issue[],
): Promise<readonly Issue[]> {
  const matches = new PatternMatcher();
  const until = performance.now() + PATTERNS_LIMIT_MS;
  for (;;) {
    const issues = run(matches);
    const questions = matches.takePending();
    if (questions.length === 0) return issues;
    const leftMs = Math.max(Math.round(until - performance.now()), SHORTEST_LIMIT_MS);
    const late = await matchInWorker(questions, leftMs, (question, isMatch) =>
      matches.answer(question, isMatch),
    );
    if (late !== undefined) return [issueOf(late)];
  }
}

/** For all patterns of one value together. */
const PATTERNS_LIMIT_MS = 2000;
const SHORTEST_LIMIT_MS = 100;

function issueOf({ question: { pattern, path }, problem }: UnansweredMatch): Issue {
  const message = `${problem} the pattern ${pattern.source}`;
  return path === "" ? { message } : { path, message };
}

/** The order in which keywords are looked at: what asks for the rest comes last. */
const KEYWORDS: Keywords = {
  ...SCALAR_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...COMBINING_KEYWORDS,
  ...UNEVALUATED_ITEMS,
  ...UNEVALUATED_PROPERTIES,
};

/** One schema. `here` are those that look at the same value again. */
interface Node {
  readonly where: string;
  readonly rules: KeywordRule[];
  readonly here: Node[];
}

class Compiler {
  readonly #document: SchemaDocument;
  readonly #nodes = new Map<Schema, Node>();
  readonly #problems: Issue[] = [];

  /** The matches of the current run; runs are synchronous, so they never overlap. */
  #matches = new PatternMatcher();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  run(check: CheckSchema, value: unknown, matches: PatternMatcher): readonly Issue[] {
    this.#matches = matches;
    try {
      return check(value, "").issues;
    } catch (error) {
      // An answer can be nested deeper than the stack is high.
      if (error instanceof RangeError) return [{ message: "is nested too deeply to be checked" }];
      throw error;
    }
  }

  checkOf(schema: Schema, where: string): CheckSchema {
    if (schema === true) return () => new Evaluation();
    if (schema === false) return (_, path) => new Evaluation().addIssue(path, "is not allowed");
    const { rules } = this.#nodeOf(schema, where);
    return (value, path) => {
      const visit = new Evaluation();
      for (const rule of rules) rule(value, path, visit);
      return visit;
    };
  }

  problems(): readonly Issue[] {
    return [...this.#problems, ...circlesIn([...this.#nodes.values()])];
  }

  #nodeOf(schema: Exclude<Schema, boolean>, where: string): Node {
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { where, rules: [], here: [] };
    this.#nodes.set(schema, node);
    for (const [keyword, compile] of Object.entries(KEYWORDS)) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (value === undefined) continue;
      const rule = compile(value, this.#placeOf(schema, node, childPath(where, keyword)));
      if (rule !== undefined) node.rules.push(rule);
    }
    return node;
  }

  #placeOf(schema: Exclude<Schema, boolean>, node: Node, where: string): KeywordContext {
    const problem = (message: string, ...keys: PropertyKey[]): undefined => {
      this.#problems.push({ path: keys.reduce<string>(childPath, where), message });
    };
    const inside = (value: unknown, ...keys: PropertyKey[]): CheckSchema => {
      if (!isSchema(value)) problem("must be a JSON Schema", ...keys);
      return this.checkOf(isSchema(value) ? value : true, keys.reduce<string>(childPath, where));
    };
    return {
      schema,
      problem,
      checkPart: inside,
      checkWhole: (value, ...keys) => {
        const check = inside(value, ...keys);
        const inner = isRecord(value) ? this.#nodes.get(value) : undefined;
        if (inner !== undefined) node.here.push(inner);
        return check;
      },
      resolve: (reference) => this.#document.resolve(reference, schema),
      matches: (pattern, text, path) => this.#matches.test(pattern, text, path),
    };
  }
}

/** A schema that leads back to itself at the same value would never come to an end. */
function circlesIn(nodes: readonly Node[]): readonly Issue[] {
  const open = new Set<Node>();
  const done = new Set<Node>();
  const issues: Issue[] = [];
  const visit = (node: Node): void => {
    if (open.has(node)) issues.push({ path: node.where, message: "refers to itself without end" });
    if (open.has(node) || done.has(node)) return;
    open.add(node);
    for (const inner of node.here) visit(inner);
    open.delete(node);
    done.add(node);
  };
  for (const node of nodes) visit(node);
  return issues;
}
