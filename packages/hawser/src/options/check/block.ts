import { listOf, shape } from "./compound.js";
import { argument, boolean, isObject, type Kind, string } from "./kind.js";

/** A block of a prompt. One of a kind that is not known here is the CLI's to judge. */
export const block: Kind = {
  name: "content block",
  *problems(value, path) {
    if (!isObject(value)) return yield { path, message: "must be a content block", hint: HINT };
    const kind = BLOCKS.get(value["type"]) ?? shape({ type: argument }, ["type"]);
    for (const problem of kind.problems(value, path)) yield { hint: HINT, ...problem };
  },
};

const HINT =
  'A block is { type: "text", text }, or { type: "image", source: { type: "base64", media_type: "image/png", data } }.';

const data: Kind = {
  name: "base64",
  *problems(value, path) {
    if (typeof value === "string") return;
    yield { path, message: "must be a string", hint: "Pass buffer.toString('base64')." };
  },
};

const SOURCES: ReadonlyMap<unknown, Kind> = new Map([
  ["base64", shape({ media_type: argument, data }, ["media_type", "data"])],
  ["url", shape({ url: argument }, ["url"])],
  ["text", shape({ media_type: argument, data: string }, ["media_type", "data"])],
  ["file", shape({ file_id: argument }, ["file_id"])],
]);

const source: Kind = {
  name: "source",
  problems(value, path) {
    const type = isObject(value) ? value["type"] : undefined;
    return (SOURCES.get(type) ?? shape({ type: argument }, ["type"])).problems(value, path);
  },
};

const media = shape({ source }, ["source"]);

const result: Kind = {
  name: "content",
  problems: (value, path) => (typeof value === "string" ? [] : listOf(block).problems(value, path)),
};

const BLOCKS: ReadonlyMap<unknown, Kind> = new Map([
  ["text", shape({ text: string }, ["text"])],
  ["image", media],
  ["document", media],
  [
    "tool_result",
    shape({ tool_use_id: argument, content: result, is_error: boolean }, ["tool_use_id"]),
  ],
]);
