import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LiveTool } from "../../../../gateway/src/native/live-state.js";
import { duration, elapsed } from "../../base/format.js";
import { toolSummary } from "../../base/tool-summary.js";
import { Badge } from "../../parts/small-parts.js";
import { ToolInput } from "../../parts/tool-input.js";
import { clock } from "../../state/clock.js";
import { type ToolNode, toolTree } from "./session-text.js";

/** The tool calls of a turn. The calls of a sub-agent stand below the call that started it. */
export function ToolTree({ tools }: { readonly tools: readonly LiveTool[] }): JSX.Element | null {
  if (tools.length === 0) return null;
  return <Branch nodes={toolTree(tools)} label="Tool calls" />;
}

function Branch({
  nodes,
  label,
}: {
  readonly nodes: readonly ToolNode[];
  readonly label: string;
}): JSX.Element {
  return (
    <ul class="tool-tree" aria-label={label}>
      {nodes.map(({ tool, children }) => (
        <li key={tool.toolUseId}>
          <ToolRow tool={tool} />
          {children.length > 0 && (
            <Branch
              nodes={children}
              label={`Tool calls of ${tool.subagentType ?? "the sub-agent"}`}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function ToolRow({ tool }: { readonly tool: LiveTool }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { status, input } = tool;
  return (
    <>
      <button
        type="button"
        class="tool-row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Badge tone={TONES[status]}>{status}</Badge>
        <strong>{tool.tool}</strong>
        {tool.subagentType !== undefined && <span class="dim">{tool.subagentType}</span>}
        <span class="tool-about">{toolSummary(input)}</span>
        <Elapsed tool={tool} />
      </button>
      {isOpen && <ToolInput tool={tool.tool} input={input} />}
    </>
  );
}

function Elapsed({ tool: { status, ms, startedAt } }: { readonly tool: LiveTool }): JSX.Element {
  if (status !== "running") return <span class="time">{ms === undefined ? "" : duration(ms)}</span>;
  return <span class="time">{elapsed(clock.value - startedAt)}</span>;
}

const TONES = {
  running: "accent",
  ok: "good",
  error: "bad",
  denied: "warn",
  interrupted: "warn",
} as const;
