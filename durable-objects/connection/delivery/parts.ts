// The parts of the engine, made once for each object and shared by what stands on them.
import { Deadlines } from "./deadlines.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Endpoints } from "./endpoints.ts";
import { History } from "./history.ts";
import { Lanes } from "./lanes.ts";
import { Notices } from "./notices.ts";
import { Queue } from "./queue.ts";
import { Resends } from "./resends.ts";
import { Secrets } from "./secrets.ts";
import { Upkeep } from "./upkeep.ts";
import { Vault } from "../../../src/services/secrets/vault.ts";
import type { DeliveryWorld } from "./world.ts";

export type Parts = {
  endpoints: Endpoints;
  secrets: Secrets;
  queue: Queue;
  lanes: Lanes;
  notices: Notices;
  resends: Resends;
  history: History;
  upkeep: Upkeep;
  deadlines: Deadlines;
  dispatcher: Dispatcher;
};

export function partsOf(world: DeliveryWorld): Parts {
  const { sql } = world;
  const endpoints = new Endpoints(sql);
  const secrets = new Secrets(sql, new Vault(world.stateSecret, world.connection));
  const queue = new Queue(sql);
  const lanes = new Lanes(endpoints, queue);
  const notices = new Notices(world);
  const resends = new Resends(sql, endpoints, lanes);
  const upkeep = new Upkeep(sql, { endpoints, secrets, lanes, notices, resends });
  const deadlines = new Deadlines(world.clock);
  const dispatcher = new Dispatcher(world, { endpoints, secrets, queue, lanes, notices, deadlines });
  return { endpoints, secrets, queue, lanes, notices, resends, history: new History(sql), upkeep, deadlines, dispatcher };
}
