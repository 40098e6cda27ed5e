import { expect, it } from "vitest";
import { LruMap } from "@gateway/domain/lru-map.ts";

it("the LRU map evicts the least recently used entry", () => {
  const map = new LruMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
});

it("the LRU map counts sizes, and keeps no entry that is too large alone", () => {
  const map = new LruMap<string>(10, (text) => text.length);
  map.set("a", "12345");
  map.set("a", "123456");
  map.set("b", "1234");
  expect([map.has("a"), map.has("b")]).toEqual([true, true]);
  map.set("c", "12345678901");
  expect([map.has("a"), map.has("b"), map.has("c")]).toEqual([true, true, false]);
  map.set("d", "1");
  expect([map.has("a"), map.has("b"), map.has("d")]).toEqual([false, true, true]);
  map.clear();
  map.set("e", "1234567890");
  expect(map.has("e")).toBe(true);
});
