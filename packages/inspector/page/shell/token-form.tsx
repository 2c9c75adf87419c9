import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { problemOf } from "../net/api.js";
import { useToken } from "../net/token.js";
import { Problem, useFocus } from "../parts/small-parts.js";

/** Asks for the token, if the address had none or a wrong one. */
export function TokenForm(): JSX.Element {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const field = useFocus<HTMLInputElement>();
  return (
    <div class="view token-view">
      <h1>This page needs a token</h1>
      <p>
        Open the address that <code>hawser inspect</code> has printed, with <code>#token=…</code> at
        its end. Or paste the token here. A tab that is loaded again after a restart of the server
        needs the address again.
      </p>
      <form
        class="card-form"
        onSubmit={(event) => {
          event.preventDefault();
          useToken(token.trim()).catch((error) => setProblem(problemOf(error)));
        }}
      >
        <label>
          <span class="label">Token</span>
          <input
            ref={field}
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={token.trim() === ""}>
          Open
        </button>
      </form>
      <Problem text={problem} />
    </div>
  );
}
