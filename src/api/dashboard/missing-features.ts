// Features that a kind of connection lacks. They are derived from the tables that the object uses to refuse them.
import { settingsWithout } from "@gateway/domain/instance/kinds.ts";
import { CONTENT_KINDS, RECIPIENT_KINDS } from "@gateway/protocol/content.ts";
import { type ConnectionKind, OPERATIONS } from "@gateway/protocol/operations.ts";
import { FEATURES, type Feature } from "./contract/connections.ts";

const KINDS: Readonly<Record<Exclude<Feature, Setting>, readonly ConnectionKind[]>> = {
  pairing: OPERATIONS["instance.pairing_code"].kinds,
  logout: OPERATIONS["instance.logout"].kinds,
  history: OPERATIONS["instance.history"].kinds,
  check: OPERATIONS["contacts.check"].kinds,
  edit: OPERATIONS["messages.edit"].kinds,
  delete: OPERATIONS["messages.delete"].kinds,
  poll: CONTENT_KINDS.poll,
  forward: CONTENT_KINDS.forward,
  star: OPERATIONS["messages.star"].kinds,
  ignore_channels: RECIPIENT_KINDS.channel,
  ignore_status: RECIPIENT_KINDS.status,
};
type Setting = "always_online" | "sync_history" | "device_name";

export function missingFeatures(kind: ConnectionKind): Feature[] {
  const settings: readonly string[] = settingsWithout(kind);
  return FEATURES.filter((feature) =>
    feature in KINDS ? !KINDS[feature as keyof typeof KINDS].includes(kind) : settings.includes(feature),
  );
}
