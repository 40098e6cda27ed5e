// Commands of a number of the network's cloud, by the table.
import { notConnected } from "@gateway/domain/cloud/failures.ts";
import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Driver } from "../session/network-client.ts";
import { CLOUD_COMMANDS, type CloudRow } from "./commands.ts";
import type { CloudContext } from "./commands/asking.ts";

export function cloudDriver(context: CloudContext): Driver {
  return {
    command: async <N extends NetworkCommand>(name: N, input: CommandInput<N>, deadlineMs: number): Promise<Outcome<CommandOutput<N>>> => {
      const row: CloudRow<N> = CLOUD_COMMANDS[name];
      if (row === "absent") return fail("not_supported", { details: { kind: "cloud_api" } });
      if ("store" in row) {
        const { events, output } = row.store(input, context);
        context.commit(
          events.map((event) => ({ key: null, event })),
          Date.now(),
        );
        return succeed(output);
      }
      if (context.instance.state.status !== "connected") return fail(notConnected(context.instance.state.reason));
      return row.graph(input, context, deadlineMs);
    },
  };
}
