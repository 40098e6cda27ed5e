// Creates the components of a Connection object in stages. Each stage gets the earlier stages that it uses:
//
//   stored data → callers → receivers → upkeep → commits → links
//
// Calls follow these arrows backwards, for example from a session's frame to the tables. Two calls go forwards, to a component that does not
// exist yet when its caller is created:
//
//   outbox, waiting sends ──▶ commit handler      `() => commitHandler`: applies outcomes that the object itself decides, such as a timeout
//   outbox, presence, automations ──▶ network ──▶ link      `network.attach` in `links.ts`: a session on a bridge, or the Cloud API
//
// Neither runs in a constructor. Components report everything else through callbacks (`onChange`, `rearm`), which these files define.
import type { Env } from "#root/src/env.ts";
import { lookUpMedia } from "#root/src/services/media/open.ts";
import type { Deployment } from "../shared/deployment.ts";
import type { Scheduled } from "../shared/alarm.ts";
import { createCallers } from "./components/callers.ts";
import { createCommits } from "./components/commits.ts";
import { createLinks } from "./components/links.ts";
import { createReceivers } from "./components/receivers.ts";
import { createStoredData } from "./components/stored-data.ts";
import { createUpkeep } from "./components/upkeep.ts";

export type ConnectionComponents = ReturnType<typeof createComponents>;

export function createComponents(ctx: DurableObjectState, env: Env, deployment: Deployment, rearm: () => void) {
  const host = { ctx, env, deployment, rearm };
  const data = createStoredData(host);
  const callers = createCallers(host, data);
  const receivers = createReceivers(host, data, callers);
  const upkeep = createUpkeep(host, data, callers, receivers);
  const commits = createCommits(host, data, callers, receivers, upkeep);
  const links = createLinks(host, data, callers, commits);

  const { removal } = data;
  const { admission, listeners, requests } = callers;
  const { deliveries, notifications, ownerMails } = receivers;
  const { directory, purge, removedFiles, statistics, uploads } = upkeep;
  const { outbox, waiting } = commits;
  const { cloud, session } = links;
  /** Components with scheduled work, in the order in which the alarm runs them. */
  const scheduled: Scheduled[] = [
    session,
    cloud,
    ownerMails.alerts,
    ownerMails.warnings,
    outbox,
    waiting,
    deliveries,
    ...admission.scheduled,
    purge,
    uploads,
    removedFiles,
    removal,
    statistics,
    requests,
    directory,
    listeners,
    notifications,
  ];
  return {
    ...data,
    ...callers,
    ...receivers,
    ...upkeep,
    ...commits,
    ...links,
    lookUpMedia: (token: string) => lookUpMedia(env.MEDIA, token, Date.now()),
    scheduled,
  };
}
