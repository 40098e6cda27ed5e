// The removal of a connection up to its object's own storage: the network is told, then files and what D1 has are removed. A crash on the way
// has all of it done again.
import type { Env } from "../../src/env.ts";
import { forgetConnection } from "../../src/services/connections/remove.ts";
import { removeMediaOf } from "../../src/services/media/remove.ts";
import type { ConnectionComponents } from "./components.ts";

/** How long a removal waits for the device to be unlinked. */
const UNLINK_TIMEOUT_MS = 5_000;

/** `onStopped`: nothing of the connection works any more. */
export async function takeApart(components: ConnectionComponents, env: Env, onStopped: () => void): Promise<void> {
  const { cloud, deliveries, identity, instance, link, removal, session, statistics } = components;
  const connection = removal.connection ?? identity.uuid;
  // A crash or a deploy has cut its socket, and its bridge dials again.
  const dialsAgain = removal.connection !== null || instance.state.lease.phase === "detached";
  if (removal.connection === null) {
    // A number of the Cloud API has no device to unlink.
    session.step({ type: identity.kind === "session" ? "logout" : "disconnect" }, Date.now());
    removal.ask(connection, Date.now());
    identity.forget();
    deliveries.dispatcher.stop();
    onStopped();
  }
  if (removal.unlinks) {
    if (dialsAgain) await link.untilDialled(UNLINK_TIMEOUT_MS);
    await link.untilClosed(UNLINK_TIMEOUT_MS);
    await cloud.upkeep.forget();
    removal.unlinkEnded(Date.now());
  }
  await removeMediaOf(env.MEDIA, connection, Date.now());
  await statistics.push(connection, Number.POSITIVE_INFINITY);
  await forgetConnection(env.DB, connection);
}
