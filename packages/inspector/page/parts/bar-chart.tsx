import type { JSX } from "preact";
import { count } from "../base/format.js";

export interface Bar {
  readonly name: string;
  readonly value: number;
}

/** Numbers as bars beside their names. The numbers are text too, so that nothing is told by length alone. */
export function BarChart({ bars }: { readonly bars: readonly Bar[] }): JSX.Element {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <table class="bars">
      <tbody>
        {bars.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{count(value)}</td>
            <td class="bar-cell">
              <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-back" width="100" height="8" rx="1" />
                <rect class="bar-fill" width={(value / most) * 100} height="8" rx="1" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
