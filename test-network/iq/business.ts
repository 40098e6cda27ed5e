import type { BinaryNode } from "baileys";
import type { Account, BusinessProfile, Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { child, children, childrenOf, node, textOf } from "../node.ts";
import { done, refused, type Reply } from "./reply.ts";

const TEXT_FIELDS = ["address", "description", "email"] as const;

export function answerBusiness(network: Network<"directory" | "store">, from: Device, iq: BinaryNode): Reply {
  const request = child(iq, "business_profile");
  if (!request) return refused(501);
  if (iq.attrs["type"] === "set") return change(network, from.account, request);
  const asked = children(request, "profile").map(({ attrs }) => ({ jid: attrs["jid"], account: network.directory.find(attrs["jid"]) }));
  const profiles = asked.flatMap(({ jid, account }) => (account?.business ? [profileNode(jid, account.businessProfile)] : []));
  return done(node("business_profile", { v: "244" }, profiles));
}

// Fields missing from the change stay as they are.
function change(network: Network<"store">, account: Account, request: BinaryNode): Reply {
  if (!account.business) return refused(403);
  const profile = account.businessProfile;
  for (const field of TEXT_FIELDS) {
    const part = child(request, field);
    if (part) profile[field] = textOf(part) ?? "";
  }
  const websites = children(request, "website");
  if (websites.length > 0) profile.websites = websites.flatMap((one) => textOf(one) || []);
  const hours = child(request, "business_hours");
  if (hours) profile.hours = { timezone: hours.attrs["timezone"] ?? "UTC", days: childrenOf(hours).map(({ attrs }) => ({ ...attrs })) };
  network.store.saveAccount(account);
  return done();
}

function profileNode(jid: string | undefined, profile: BusinessProfile): BinaryNode {
  const texts = TEXT_FIELDS.flatMap((field) => (profile[field] === undefined ? [] : [node(field, {}, Buffer.from(profile[field]))]));
  const websites = profile.websites.map((one) => node("website", {}, Buffer.from(one)));
  const hours = profile.hours
    ? [
        node(
          "business_hours",
          { timezone: profile.hours.timezone },
          profile.hours.days.map((day) => node("business_hours_config", day)),
        ),
      ]
    : [];
  return node("profile", { jid }, [...texts, ...websites, ...hours]);
}
