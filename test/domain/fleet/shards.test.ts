import { describe, expect, it } from "vitest";
import {
  byDistance,
  homeOf,
  inHashOrder,
  isOpen,
  isShard,
  readShards,
  REGIONS,
  regionOfPhone,
  regionOfPlace,
  regionOfPool,
} from "@gateway/domain/fleet/shards.ts";

const UUID = "0b5a3f0e-5d1c-4a57-8a54-0d9f2f6f0a11";

describe("the shards of a deployment", () => {
  it("are read from its setting", () => {
    expect(readShards("")).toEqual([]);
    expect(readShards("weur:2, sam:1")).toEqual(["weur/1", "weur/2", "sam/1"]);
    for (const wrong of ["weur", "weur:0", "mars:1", "weur:1,weur:2", "weur:1000", "WEUR:1", "weur:1;sam:1"])
      expect(readShards(wrong)).toBeNull();
  });

  it("have names that say their region", () => {
    expect(regionOfPool("sam/12")).toBe("sam");
    for (const none of ["default", "sam", "sam/0", "sam/1000", "mars/1", "sam/1/bridge-0", "xsam/1"]) {
      expect(regionOfPool(none)).toBeNull();
      expect(isShard(none)).toBe(false);
    }
  });

  it("close to new connections at four fifths of ten thousand", () => {
    expect([0, 7_999, 8_000].map(isOpen)).toEqual([true, true, false]);
  });
});

describe("the region of a new connection", () => {
  it("follows the place of its creator", () => {
    const regions = [
      regionOfPlace({ continent: "SA" }),
      regionOfPlace({ continent: "EU", longitude: "2.35" }),
      regionOfPlace({ continent: "EU", longitude: "30.5" }),
      regionOfPlace({ continent: "NA", longitude: "-74" }),
      regionOfPlace({ continent: "NA", longitude: "-122.4" }),
      regionOfPlace({ continent: "AS", longitude: "77" }),
      regionOfPlace({ continent: "OC" }),
      regionOfPlace({ continent: "T1" }),
      regionOfPlace({}),
    ];
    expect(regions).toEqual(["sam", "weur", "eeur", "enam", "wnam", "apac", "apac", null, null]);
  });

  it("follows its number if the place is unknown", () => {
    expect(["5511987654321", "4915123456789", "14155550123", "", null].map(regionOfPhone)).toEqual(["sam", "weur", "enam", null, null]);
  });
});

describe("the home of a new connection", () => {
  it("is a shard of its region, the same one each time", () => {
    const shards = readShards("weur:3,sam:3") ?? [];
    const home = homeOf(UUID, "sam", shards);
    expect(regionOfPool(home ?? "")).toBe("sam");
    expect(homeOf(UUID, "sam", shards.toReversed())).toBe(home);
    expect(home).toBe(inHashOrder(UUID, readShards("sam:3") ?? [])[0]);
  });

  it("is in the nearest region if its own has no open shard, and in the first one if its region is unknown", () => {
    expect(homeOf(UUID, "sam", ["weur/1", "enam/1", "apac/1"])).toBe("enam/1");
    expect(homeOf(UUID, null, ["apac/1", "weur/1"])).toBe("apac/1");
  });

  it("does not exist if no shard is open", () => {
    expect(homeOf(UUID, "sam", [])).toBeNull();
  });
});

it("every region ranks itself first, and all other regions after it", () => {
  for (const region of REGIONS) {
    expect(byDistance(region)[0]).toBe(region);
    expect([...byDistance(region)].sort()).toEqual([...REGIONS].sort());
  }
});
