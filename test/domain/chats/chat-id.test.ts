import { expect, it } from "vitest";
import { readChatId, readGroupId, readLid, readPersonId } from "@gateway/domain/chats/chat-id.ts";

it("a chat id is read in every spelling and written in the canonical one", () => {
  const read = {
    "5511900000002@c.us": "5511900000002@c.us",
    "5511900000002": "5511900000002@c.us",
    "5511900000002@s.whatsapp.net": "5511900000002@c.us",
    " 5511900000002 ": "5511900000002@c.us",
    "120363041234567890@g.us": "120363041234567890@g.us",
    "5511900000002-1600000000@g.us": "5511900000002-1600000000@g.us",
    "120363041234567890@newsletter": "120363041234567890@newsletter",
    "84729384723984@lid": "84729384723984@lid",
  };
  for (const [given, id] of Object.entries(read)) expect([given, readChatId(given)]).toEqual([given, id]);
});

it("text that is no chat id is refused", () => {
  for (const given of [
    "",
    "abc",
    "123@c.us",
    "0511900000002",
    "5511900000002@x.us",
    "5511900000002@c.us@c.us",
    "status@broadcast",
    "5511900000002:12@c.us",
    "+5511900000002",
  ]) {
    expect([given, readChatId(given)]).toEqual([given, null]);
  }
});

it("groups and persons are distinguished by their chat ids", () => {
  const [group, person, lid] = ["120363041234567890@g.us", "5511900000002@c.us", "84729384723984@lid"];
  expect([group, person, lid].map(readGroupId)).toEqual([group, null, null]);
  expect([group, person, lid].map(readPersonId)).toEqual([null, person, lid]);
  expect(readPersonId("5511900000002")).toBe(person);
});

it("a LID is read with or without its suffix", () => {
  expect(["84729384723984@lid", " 84729384723984 "].map(readLid)).toEqual(["84729384723984", "84729384723984"]);
  for (const given of ["", "@lid", "1234", "84729384723984@c.us", "84729384723984@lid@lid", "8472:1@lid"]) {
    expect([given, readLid(given)]).toEqual([given, null]);
  }
});
