import type { JSX } from "preact";
import { Empty } from "../../parts/small-parts.js";
import { usePage } from "../../state/use-page.js";
import { FleetPart } from "./fleet-part.js";
import { PoolPart } from "./pool-part.js";

/** The processes of each program, its queue and its pauses, and the state of fleets. */
export function StateView(): JSX.Element {
  const { sources } = usePage();
  return (
    <div class="view">
      <h1>Pool and fleet</h1>
      {sources.length === 0 && <Empty title="No program is connected." />}
      {sources.map((source) => (
        <section key={source.info.id} class="panel" aria-label={source.info.name}>
          <h2>{source.info.name}</h2>
          {/* A fleet is no program: its sessions run on its hosts. */}
          {source.info.kind !== "fleet" && <PoolPart source={source} />}
          <FleetPart source={source} />
        </section>
      ))}
    </div>
  );
}
