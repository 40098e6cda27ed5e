// The client version that bridges announce to the network (docs/operate/bridges.md, "Client version").
import * as z from "zod";

/** For example `2.3000.1043857760`. */
export const CLIENT_VERSION = /^\d{1,3}\.\d{1,6}\.\d{1,10}$/;
const version = z.string().regex(CLIENT_VERSION);

/** The operator's choice. `version` pins one version; `max` caps what a look-up may choose. Null: not set. */
export const ClientVersionSetting = z.object({ version: version.nullable(), max: version.nullable() });
export type ClientVersionSetting = z.infer<typeof ClientVersionSetting>;

export const VERSION_SOURCES = ["set", "library", "served"] as const;

/** `set`: chosen by the operator; `library`: the library's own version; `served`: the version of the network's web client. */
export const AnnouncedVersion = z.object({ version, source: z.enum(VERSION_SOURCES) });
export type AnnouncedVersion = z.infer<typeof AnnouncedVersion>;
