import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { bytes } from "../../base/format.js";
import { nativePath, problemOf } from "../../net/api.js";
import { Empty, Problem } from "../../parts/small-parts.js";
import type { PageState } from "../../state/page-state.js";
import { route } from "../../state/route.js";
import { usePage } from "../../state/use-page.js";
import { readTranscript } from "../transcripts/use-transcript.js";
import { type Recording, readRecording } from "./recording.js";
import { ReplayPlayer } from "./replay-player.js";

/** A cassette or a transcript on a time line: from the server, from a file, or from the transcripts. */
export function ReplayView(): JSX.Element {
  const page = usePage();
  const [recording, setRecording] = useState<Recording>();
  const [problem, setProblem] = useState<string>();
  const [sourceId, id] = route.value.parts;
  const load = (read: () => Promise<Recording>) => {
    read().then(
      (found) => {
        setRecording(found);
        setProblem(undefined);
      },
      (error) => {
        setRecording(undefined);
        setProblem(problemOf(error));
      },
    );
  };
  useEffect(() => {
    if (sourceId === undefined || id === undefined) return;
    const leave = new AbortController();
    load(() => readStored(page, sourceId, id, leave.signal));
    return () => leave.abort();
  }, [page, sourceId, id]);
  return (
    <div class="view replay">
      <h1>Replay</h1>
      <div class="actions">
        <label class="file">
          Open a cassette or a transcript…
          <input
            type="file"
            accept=".jsonl,.json,.cassette,text/plain"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) load(async () => readRecording(file.name, await file.text()));
            }}
          />
        </label>
        <ServedReplays page={page} onChoose={load} />
      </div>
      <Problem text={problem} />
      {recording === undefined ? (
        <Empty title="Nothing to replay yet.">
          Choose a file, or open a transcript and press Replay. The file stays in this browser.
        </Empty>
      ) : (
        <ReplayPlayer key={recording.name} recording={recording} />
      )}
    </div>
  );
}

interface ServedReplay {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
}

/** The files that were named on the command line of `hawser inspect`. */
function ServedReplays({
  page,
  onChoose,
}: {
  readonly page: PageState;
  readonly onChoose: (read: () => Promise<Recording>) => void;
}): JSX.Element {
  const [files, setFiles] = useState<readonly ServedReplay[]>([]);
  useEffect(() => {
    const leave = new AbortController();
    page.api.get("replays", leave.signal).then(
      (body) => setFiles(Array.isArray(body) ? (body as ServedReplay[]) : []),
      () => {}, // A file of this browser can still be chosen.
    );
    return () => leave.abort();
  }, [page]);
  const open = ({ id, name }: ServedReplay) =>
    onChoose(async () =>
      readRecording(name, await page.api.text(`replays/${encodeURIComponent(id)}`)),
    );
  return (
    <>
      {files.map((file) => (
        <button key={file.id} type="button" onClick={() => open(file)}>
          {file.name} <span class="dim">{bytes(file.bytes)}</span>
        </button>
      ))}
    </>
  );
}

async function readStored(
  page: PageState,
  source: string,
  id: string,
  signal: AbortSignal,
): Promise<Recording> {
  const path = nativePath(source, `/sessions/${encodeURIComponent(id)}/messages`);
  const messages = await readTranscript(page, path, signal, () => {});
  return readRecording(id, messages.map((message) => JSON.stringify(message)).join("\n"));
}
