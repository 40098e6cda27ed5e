// Values that the examples show: the ids that stand in paths, and by name what answers look like.
import { isoOfSeconds } from "../../http/times.ts";

const INSTANCE = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const WEBHOOK = "0189a5b2-9e1f-7a2b-8c3d-4e5f6a7b8c9d";
const KEY = "0189a5b3-1a2b-7c3d-8e4f-5a6b7c8d9e0f";
const TIME = isoOfSeconds(1_795_176_000);

/** What stands in a path. */
export const PARAMS: Readonly<Record<string, string>> = {
  instanceId: INSTANCE,
  chatId: "5511900000002@c.us",
  groupId: "120363041234567890@g.us",
  keyId: KEY,
  webhookId: WEBHOOK,
  deliveryId: "msg_0123456789abcdef0123456789abcdef",
};

/** What stands in an answer, where the surfaces differ. */
export const SAMPLES: Readonly<Record<string, unknown>> = {
  id: INSTANCE,
  user_id: "a1b2c3d4e5f6",
  instance_id: INSTANCE,
  name: "Store",
  email: "ana@example.com",
  profile_name: "Store",
  full_name: "Ana Souza",
  question: "Which day?",
  from: "5511900000002@c.us",
  to: "5511900000001@c.us",
  participant: null,
  text: "Hello!",
  timestamp: TIME,
  event: "message.received",
  url: "https://hooks.example.com/gateway",
  code: "ABCD-EFGH",
  status_reason: "ok",
  version: "1.0",
  message: "Done.",
};
