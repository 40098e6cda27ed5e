// Every route of the Connection API against every kind of bad key.
import { describeBadKeys } from "./bad-keys.ts";
import { NOWHERE, TABLE } from "./world.ts";

describeBadKeys([...TABLE, ...NOWHERE]);
