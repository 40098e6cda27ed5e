// Which client version bridges announce to the network (docs/operate/bridges.md, "Client version").
import { z } from "zod";

/** `2.3000.1043857760` */
export const CLIENT_VERSION = /^\d{1,3}\.\d{1,6}\.\d{1,10}$/;
const version = z.string().regex(CLIENT_VERSION);

/** What the operator has set. `version`: this one and no other. `max`: look-ups take nothing newer. Null: not set. */
export const ClientVersionSetting = z.object({ version: version.nullable(), max: version.nullable() });
export type ClientVersionSetting = z.infer<typeof ClientVersionSetting>;

export const VERSION_SOURCES = ["set", "library", "served"] as const;

/** Of a bridge. `source`: set by the operator, of the library, or what the network's web client serves. */
export const AnnouncedVersion = z.object({ version, source: z.enum(VERSION_SOURCES) });
export type AnnouncedVersion = z.infer<typeof AnnouncedVersion>;
