import { expect, it } from "vitest";
import { otherSpelling } from "@gateway/protocol/cloud.ts";

it.each([
  ["Brazil", "5511987654321", "551187654321"],
  ["Mexico", "5215512345678", "525512345678"],
  ["Argentina", "5491123456789", "541123456789"],
])("a mobile number of %s has two spellings", (_country, long, short) => {
  expect(otherSpelling(long)).toBe(short);
  expect(otherSpelling(short)).toBe(long);
});

it.each([
  ["a Brazilian landline", "551132345678"],
  ["a Brazilian mobile number that never had eight digits", "5511932345678"],
  ["a Mexican number that is too short", "52551234567"],
  ["a number of another country", "4915112345678"],
])("%s has one spelling", (_name, phone) => expect(otherSpelling(phone)).toBeNull());
