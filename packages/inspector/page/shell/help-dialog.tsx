import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { person } from "../state/person.js";

/** The keys, and the name under which this person answers. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd class="key">{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label>
        <span class="label">Your name, which others see at your answers</span>
        <input
          type="text"
          maxLength={100}
          value={person.value}
          onInput={(event) => {
            person.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

const KEYS = [
  ["j / k", "next and previous question"],
  ["a", "allow once"],
  ["s", "allow for this session"],
  ["e", "edit the input, then allow"],
  ["d", "deny with a reason, or decline a form"],
  ["c", "cancel a form"],
  ["1 … 7", "open a view"],
  ["/", "search in a transcript"],
  ["↵ or Ctrl ↵", "send a form"],
  ["Esc", "leave a form"],
  ["Tab", "reach everything else"],
  ["?", "this help"],
] as const;
