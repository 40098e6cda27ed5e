import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { findAnything } from "#root/src/services/fleet/find.ts";
import { faultsNow } from "#root/src/services/health/faults.ts";
import { CRONS } from "#root/src/services/watchdog/watch.ts";
import { action } from "../route.ts";

export const nowRoutes = [
  action("GET /admin/now", "admin", async (c) => {
    const now = Date.now();
    const { faults, numbers } = await faultsNow(c.env, CRONS, now);
    const shown = faults.map(({ proxyId: proxy_id, ...fault }) => ({
      ...fault,
      ...(proxy_id && { proxy_id }),
      since: isoOfMsOrNull(fault.since),
    }));
    return { ok: true, value: { data: { checked_at: isoOfMs(now), one_machine: c.env.MACHINE !== undefined, faults: shown, numbers } } };
  }),
  action("GET /admin/find", "admin", async (c, _user, { query: { q } }) => {
    const { found, instances } = await findAnything(c.env, q);
    return { ok: true, value: { data: { found: found.map((each) => ({ ...each, at: isoOfMsOrNull(each.at) })), instances } } };
  }),
];
