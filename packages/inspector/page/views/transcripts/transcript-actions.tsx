import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { objectOf, textField } from "../../base/json.js";
import { listOf, nativePath, problemOf } from "../../net/api.js";
import { ConfirmButton } from "../../parts/confirm-button.js";
import { CopyButton } from "../../parts/copy-button.js";
import { Problem } from "../../parts/small-parts.js";
import { notify } from "../../state/notices.js";
import { addressOf, go } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import { exportJson, exportMarkdown } from "./export-transcript.js";
import { storedChanges } from "./stored-changes.js";
import type { Entry, TranscriptMessage } from "./transcript-shape.js";

/** What can be done with a transcript: fork, resume, export, replay, delete. */
export function TranscriptActions({
  source,
  id,
  messages,
  entries,
}: {
  readonly source: SourceState;
  readonly id: string;
  readonly messages: readonly TranscriptMessage[];
  readonly entries: readonly Entry[];
}): JSX.Element {
  const page = usePage();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const path = nativePath(source.info.id, `/sessions/${encodeURIComponent(id)}`);
  const act = async (action: () => Promise<void>) => {
    setBusy(true);
    await action().then(
      () => setProblem(undefined),
      (error) => setProblem(problemOf(error)),
    );
    setBusy(false);
  };
  const fork = () =>
    act(async () => {
      const copy = textField(objectOf(await page.api.post(`${path}/fork`)), "sessionId") ?? "";
      notify("good", `Copied to the session ${copy}.`);
      storedChanges.value += 1;
      go("transcripts", source.info.id, copy);
    });
  const remove = () =>
    act(async () => {
      await page.api.delete(path);
      notify("good", `Deleted the session ${id}.`);
      storedChanges.value += 1;
      go("transcripts");
    });
  const canControl = page.canControl.value;
  return (
    <>
      <div class="actions">
        {canControl && (
          <button type="button" disabled={isBusy} onClick={fork}>
            Fork
          </button>
        )}
        {canControl && <Resume source={source} id={id} isBusy={isBusy} act={act} />}
        {UUID.test(id) && (
          <CopyButton text={`claude --resume ${id}`}>Copy the command to resume</CopyButton>
        )}
        <button type="button" onClick={() => exportMarkdown(id, entries)}>
          Export Markdown
        </button>
        <button type="button" onClick={() => exportJson(id, messages)}>
          Export JSON
        </button>
        <a class="button" href={addressOf("replay", source.info.id, id)}>
          Replay
        </a>
        {canControl && (
          <ConfirmButton
            label="Delete"
            question="Press again to delete"
            isDisabled={isBusy}
            onConfirm={() => void remove()}
          />
        )}
      </div>
      <Problem text={problem} />
    </>
  );
}

/** The id comes from the address. Another text than this could be more than an id in a shell. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Resumes the session with an agent of the server, if the server has agents. */
function Resume({
  source,
  id,
  isBusy,
  act,
}: {
  readonly source: SourceState;
  readonly id: string;
  readonly isBusy: boolean;
  readonly act: (action: () => Promise<void>) => Promise<void>;
}): JSX.Element | null {
  const page = usePage();
  const [agents, setAgents] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState("");
  useEffect(() => {
    const leave = new AbortController();
    page.api.get(nativePath(source.info.id, "/agents"), leave.signal).then(
      (body) => {
        const usable = listOf<{ name: string; runOn?: string }>(body, "agents");
        setAgents(usable.filter(({ runOn }) => runOn !== "fleet").map(({ name }) => name));
      },
      () => {}, // Without the list, the command to resume is still there.
    );
    return () => leave.abort();
  }, [page, source]);
  if (agents.length === 0) return null;
  const agent = chosen || (agents[0] ?? "");
  const resume = () =>
    act(async () => {
      const body = await page.api.post(nativePath(source.info.id, "/sessions"), {
        agent,
        resume: id,
      });
      const session = objectOf(objectOf(body)["session"]);
      go("live", source.info.id, textField(session, "id") ?? "");
    });
  return (
    <>
      {agents.length > 1 && (
        <label>
          <span class="hidden">Agent</span>
          <select value={agent} onChange={(event) => setChosen(event.currentTarget.value)}>
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <button type="button" disabled={isBusy} onClick={resume}>
        Resume with {agent}
      </button>
    </>
  );
}
