import { isoOfSeconds } from "#root/src/http/times.ts";

const INSTANCE = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const TIME = isoOfSeconds(1_795_176_000);

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
  text: "Hello!",
  timestamp: TIME,
  event: "message.received",
  url: "https://hooks.example.com/gateway",
  code: "ABCD-EFGH",
  status_reason: "ok",
  version: "1.0",
  message: "Done.",
};
