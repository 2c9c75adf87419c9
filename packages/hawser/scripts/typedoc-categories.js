// A plugin of typedoc: groups the reference by the layer that declares a name, under the titles that
// the guides use. Without the plugin, hundreds of comments would need a @category tag.
import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc";
import ts from "typescript";

const CATEGORIES = {
  complete: "One call",
  session: "Sessions",
  pool: "The pool",
  options: "Options",
  schema: "Options",
  mcp: "Tools",
  base: "Errors",
  process: "The CLI and its processes",
  transcripts: "Sessions on disk",
  council: "Council",
  providers: "Providers",
  query: "The official SDK's surface",
  wire: "Messages",
  transport: "Transports",
};

/** The categories of `hawser/testing`, by file. */
const IN_TESTING = {
  "offline-world": "Without an account",
  "model/simulated-model": "The simulated model",
  "isolated-env": "The simulated model",
  "model/recorded-request": "The simulated model",
  "model/reply-script": "The simulated model",
  "model/auxiliary-kind": "The simulated model",
  "model/reply": "Replies",
  "model/answer-block": "Replies",
  "model/api-error": "Replies",
  "fake-cli": "The fake CLI",
  scenario: "The fake CLI",
  cassette: "Cassettes",
  "session-store-check": "Session stores",
  "session-store-checks": "Session stores",
};

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    const { project } = context;
    for (const module of project.children ?? []) {
      module.name = module.name === "index" ? "hawser" : `hawser/${module.name}`;
      const values = valuesOf(fileOf(context, module));
      for (const each of [...(module.children ?? [])]) {
        if (each.kindOf(CALLABLE) && !values.has(each.name)) project.removeReflection(each);
        else categorize(each, fileOf(context, each)?.fileName ?? "");
      }
    }
  });
  // Removed after typedoc has used the tags, because its validation takes a comment with nothing but
  // a tag for documentation.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => removeTags(project), -1000);
}

/** `export type *` also lists functions and constants, but their values cannot be imported. */
const CALLABLE = ReflectionKind.Function | ReflectionKind.Variable;

function valuesOf(file) {
  const declarations = file.statements.filter(
    (each) => ts.isExportDeclaration(each) && !each.isTypeOnly,
  );
  const names = declarations.flatMap(({ exportClause }) => exportClause?.elements ?? []);
  return new Set(names.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text));
}

function categorize(reflection, path) {
  const category = categoryOf(path);
  if (category === undefined) throw new Error(`No category for ${reflection.name} of ${path}`);
  reflection.comment ??= new Comment();
  /** @type {import("typedoc").CommentDisplayPart[]} */
  const content = [{ kind: "text", text: category }];
  reflection.comment.blockTags.push(new CommentTag("@category", content));
}

function removeTags({ children = [] }) {
  for (const each of children.flatMap((module) => module.children ?? [])) {
    each.comment?.removeTags("@category");
    if (each.comment?.isEmpty()) delete each.comment;
  }
}

function categoryOf(path) {
  const [, layer = "", rest = ""] = /\/src\/([^/]+)\/(.+)$/.exec(path) ?? [];
  return layer === "testing" ? IN_TESTING[rest.replace(/\.ts$/, "")] : CATEGORIES[layer];
}

function fileOf(context, reflection) {
  return context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile();
}
