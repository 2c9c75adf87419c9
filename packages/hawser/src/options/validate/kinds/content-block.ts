import { isObject, type Kind, kind } from "../../../base/index.js";

/** A block of a prompt. A block of unknown type is left to the CLI to judge. */
export const block: Kind = {
  name: "content block",
  *problems(value, path) {
    if (!isObject(value)) return yield { path, message: "must be a content block", hint: HINT };
    const found = BLOCKS.get(value["type"]) ?? kind.shape({ type: kind.argument }, ["type"]);
    for (const problem of found.problems(value, path)) yield { hint: HINT, ...problem };
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
  ["base64", kind.shape({ media_type: kind.argument, data }, ["media_type", "data"])],
  ["url", kind.shape({ url: kind.argument }, ["url"])],
  ["text", kind.shape({ media_type: kind.argument, data: kind.string }, ["media_type", "data"])],
  ["file", kind.shape({ file_id: kind.argument }, ["file_id"])],
]);

const source: Kind = {
  name: "source",
  problems(value, path) {
    const type = isObject(value) ? value["type"] : undefined;
    return (SOURCES.get(type) ?? kind.shape({ type: kind.argument }, ["type"])).problems(
      value,
      path,
    );
  },
};

const media = kind.shape({ source }, ["source"]);

const result: Kind = {
  name: "content",
  problems: (value, path) =>
    typeof value === "string" ? [] : kind.listOf(block).problems(value, path),
};

const BLOCKS: ReadonlyMap<unknown, Kind> = new Map([
  ["text", kind.shape({ text: kind.string }, ["text"])],
  ["image", media],
  ["document", media],
  [
    "tool_result",
    kind.shape({ tool_use_id: kind.argument, content: result, is_error: kind.boolean }, [
      "tool_use_id",
    ]),
  ],
]);
