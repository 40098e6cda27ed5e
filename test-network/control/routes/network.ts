import { refused } from "../../phone/refusal.ts";
import { FaultBody, MediaHostBody, NetworkBody } from "../bodies.ts";
import { list, NOTHING, ok, route, type Route } from "../route.ts";

export const networkRoutes: readonly Route[] = [
  route("GET", "/network", NOTHING, ({ addresses }) => ok(addresses)),
  route("GET", "/faults", NOTHING, ({ network }) => list(network.faults.list())),
  route("POST", "/faults", FaultBody, ({ network, body: { phone, kind, ...rest } }) => {
    if (!network.directory.account(phone)) return refused(404, "unknown_phone", "there is no simulated phone with this number");
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    network.faults.add({ phone, kind, ...given });
    return ok({ ok: true });
  }),
  // Clears all faults, or with `?phone=` those of one number, and delivers held stanzas. `{ phone, kind: "release" }` ends only a hold.
  route("DELETE", "/faults", NOTHING, ({ network, query }) => {
    network.faults.clear(query.get("phone") ?? undefined);
    return ok({ ok: true });
  }),
  route("PATCH", "/network", NetworkBody, ({ network: { access }, body }) => {
    if (body.refused_upgrades !== undefined) access.refuseUpgrades(body.refused_upgrades);
    if (body.min_version !== undefined) access.minVersion = body.min_version;
    if (body.stale !== undefined) access.stale = body.stale;
    if (body.served_version !== undefined) access.servedVersion = body.served_version;
    const { upgrades: refused_upgrades, minVersion: min_version, stale, servedVersion: served_version } = access;
    return ok({ refused_upgrades, min_version, stale, served_version });
  }),
  route("POST", "/media-host", MediaHostBody, ({ network, body: { trouble } }) => {
    network.blobs.trouble = trouble;
    return ok({ ok: true });
  }),
  route("GET", "/stats", NOTHING, ({ network, phones }) => {
    const counters = Object.fromEntries([...phones.loaded()].map((phone) => [phone.pn, phone.deps.counters]));
    const { mostHandshakes: most_handshakes } = network.access;
    return ok({ ...Object.fromEntries(Object.entries(network.stats)), most_handshakes, phones: counters });
  }),
];
