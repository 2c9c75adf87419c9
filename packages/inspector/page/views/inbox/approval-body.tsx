import type { JSX } from "preact";
import { isObject, type JsonObject, shownJson } from "../../base/json.js";
import { visible, visibleLine } from "../../base/visible.js";
import type { ShownApproval, ShownDiff } from "../../net/approval-shape.js";
import { CodeBlock, LongText } from "../../parts/code-block.js";
import { DiffLines } from "../../parts/diff-lines.js";
import { Markdown } from "../../parts/markdown.js";
import { fieldsBesideDiff, OtherFields, ToolInput } from "../../parts/tool-input.js";

/** What is asked: the command, the diff, the plan or the message. Nothing of it is cut. */
export function ApprovalBody({ approval }: { readonly approval: ShownApproval }): JSX.Element {
  const { kind, reason, blockedPath, mcpServer, message = "", server = "" } = approval;
  return (
    <div class="card-body">
      {kind === "tool" && <CallBody approval={approval} />}
      {kind === "plan" && <PlanBody approval={approval} />}
      {kind === "elicitation" && (
        <>
          <p class="dim">The MCP server {visibleLine(server)} asks:</p>
          <p class="said">{visible(message)}</p>
        </>
      )}
      {reason !== undefined && <p class="dim">Why it is asked: {visibleLine(reason)}</p>}
      {blockedPath !== undefined && (
        <p class="dim">Because of the path {visibleLine(blockedPath)}</p>
      )}
      {isObject(mcpServer) && (
        <p class="dim">MCP server: {visibleLine(String(mcpServer["name"] ?? ""))}</p>
      )}
    </div>
  );
}

function CallBody({ approval }: { readonly approval: ShownApproval }): JSX.Element {
  const { diff, tool = "", input = {}, description } = approval;
  return (
    <>
      {description !== undefined && !isSaidBelow(description, approval) && (
        <p class="said">{visible(description)}</p>
      )}
      {diff !== undefined ? (
        <FileDiff diff={diff} tool={tool} input={input} />
      ) : tool.startsWith("mcp__") ? (
        <CodeBlock label={`Input of ${tool}`} text={shownJson(input)} isWhole />
      ) : (
        <ToolInput tool={tool} input={input} isWhole />
      )}
    </>
  );
}

/** The CLI describes an edit by its path, and a command as the model does. Both are shown in any case. */
function isSaidBelow(description: string, { input, diff }: ShownApproval): boolean {
  return input?.["description"] === description || diff?.path.endsWith(`/${description}`) === true;
}

/** The plan as the model has formatted it, and everything else that the call says. */
function PlanBody({ approval }: { readonly approval: ShownApproval }): JSX.Element {
  const { plan = "", input = {} } = approval;
  const { plan: _, ...rest } = input;
  return (
    <>
      <Markdown text={visible(plan)} />
      <details>
        <summary>The plan as plain text</summary>
        <CodeBlock label="Plan" text={plan} isWhole />
      </details>
      <OtherFields fields={rest} isWhole />
    </>
  );
}

function FileDiff({
  diff,
  tool,
  input,
}: {
  readonly diff: ShownDiff;
  readonly tool: string;
  readonly input: JsonObject;
}): JSX.Element {
  const { path, file, applies, lines, omitted } = diff;
  return (
    <>
      <p class="path">{visibleLine(path)}</p>
      {file === "missing" && <p class="dim">The call creates this file.</p>}
      {file !== "missing" && file !== "read" && (
        <p class="warn">The file could not be read, so that only the input is shown.</p>
      )}
      {!applies && (
        <p class="warn">The text to replace is not in the file, so that the call will fail.</p>
      )}
      {lines.length === 0 && <p class="dim">No line changes.</p>}
      {lines.length > 0 && <DiffLines lines={lines} />}
      {omitted === 0 && lines.length > LONG_DIFF && (
        <LongText lines={lines.length} characters={charactersOf(lines)} />
      )}
      {omitted > 0 ? (
        <>
          <p class="warn">
            The diff is too long: {omitted} of its lines are left out. This is the whole input:
          </p>
          <CodeBlock label={`Input of ${tool}`} text={shownJson(input)} isWhole />
        </>
      ) : (
        <OtherFields fields={fieldsBesideDiff(tool, input, path)} isWhole />
      )}
    </>
  );
}

/** More lines than are in sight without scrolling. */
const LONG_DIFF = 25;

function charactersOf(lines: ShownDiff["lines"]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}
