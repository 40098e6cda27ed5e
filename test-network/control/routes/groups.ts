import { createChannel, followChannel, listChannels } from "../../phone/channels.ts";
import {
  changeMembers,
  createGroup,
  decideRequests,
  describeGroup,
  joinGroup,
  leaveGroup,
  listGroups,
  pictureGroup,
  pictureOfGroup,
  renameGroup,
  setGroup,
  viewGroup,
  type MemberChange,
} from "../../phone/groups.ts";
import { pictureType } from "../../phone/profile.ts";
import type { PhoneDependencies } from "../../phone/dependencies.ts";
import { refused, type Outcome } from "../../phone/refusal.ts";
import {
  DescriptionBody,
  FollowBody,
  GroupSettingsBody,
  JoinBody,
  MembersBody,
  NewChannelBody,
  NewGroupBody,
  PictureBody,
  SubjectBody,
} from "../bodies.ts";
import { answer, fileAnswer, list, NOTHING, ok, phoneRoute, type Reply, type Route } from "../route.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";

const MEMBER_CHANGES: readonly MemberChange[] = ["add", "remove", "promote", "demote"];

export const groupRoutes: readonly Route[] = [
  phoneRoute("GET", "/groups", NOTHING, (phone) => list(listGroups(phone.deps))),
  phoneRoute("POST", "/groups", NewGroupBody, (phone, { body }) => {
    return asked(phone, (deps) => createGroup(deps, body.subject, body.participants), 201);
  }),
  phoneRoute("POST", "/groups/join", JoinBody, (phone, { body }) => asked(phone, (deps) => joinGroup(deps, body.invite_code))),
  phoneRoute("GET", "/groups/:group", NOTHING, (phone, { params }) => {
    const data = viewGroup(phone.deps, params["group"] ?? "");
    return data ? ok({ data }) : refused(404, "group_not_found", "there is no such group");
  }),
  phoneRoute("GET", "/groups/:group/picture", NOTHING, (phone, { params }) => {
    const bytes = pictureOfGroup(phone.deps, params["group"] ?? "");
    return bytes ? fileAnswer(bytes, pictureType(bytes)) : refused(404, "no_picture", "there is no picture of this group");
  }),
  ...MEMBER_CHANGES.map((change) =>
    phoneRoute("POST", `/groups/:group/${change}`, MembersBody, async (phone, { params, body }) => {
      const outcome = await phone.act((deps) => changeMembers(deps, params["group"] ?? "", change, body.participants));
      return answer(outcome, (data) => ({ data }));
    }),
  ),
  phoneRoute("POST", "/groups/:group/leave", NOTHING, (phone, { params }) =>
    asked(phone, (deps) => leaveGroup(deps, params["group"] ?? "")),
  ),
  phoneRoute("POST", "/groups/:group/subject", SubjectBody, (phone, { params, body }) => {
    return asked(phone, (deps) => renameGroup(deps, params["group"] ?? "", body.subject));
  }),
  phoneRoute("POST", "/groups/:group/description", DescriptionBody, (phone, { params, body }) => {
    return asked(phone, (deps) => describeGroup(deps, params["group"] ?? "", body.description));
  }),
  phoneRoute("POST", "/groups/:group/picture", PictureBody, (phone, { params, body: { base64 } }) => {
    return asked(phone, (deps) => pictureGroup(deps, params["group"] ?? "", base64 === null ? null : Buffer.from(base64, "base64")));
  }),
  phoneRoute("POST", "/groups/:group/settings", GroupSettingsBody, (phone, { network, params, body: { community, ...settings } }) => {
    if (community !== undefined) network.setCommunity(params["group"] ?? "", community);
    return asked(phone, (deps) => setGroup(deps, params["group"] ?? "", settings));
  }),
  ...(["approve", "reject"] as const).map((verdict) =>
    phoneRoute("POST", `/groups/:group/requests/${verdict}`, MembersBody, (phone, { params, body }) => {
      return asked(phone, (deps) => decideRequests(deps, params["group"] ?? "", verdict, body.participants));
    }),
  ),
  phoneRoute("GET", "/channels", NOTHING, (phone) => list(listChannels(phone.deps))),
  phoneRoute("POST", "/channels", NewChannelBody, (phone, { body }) => {
    return asked(phone, (deps) => createChannel(deps, body.name, body.description), 201);
  }),
  phoneRoute("POST", "/channels/:channel/follow", FollowBody, (phone, { params, body }) => {
    return asked(phone, (deps) => followChannel(deps, params["channel"] ?? "", body.follow));
  }),
];

async function asked<T>(phone: SimulatedPhone, work: (deps: PhoneDependencies) => Outcome<T>, status = 200): Promise<Reply> {
  const reply = answer(await phone.act(work));
  return "ok" in reply || status === 200 ? reply : { ...reply, status };
}
