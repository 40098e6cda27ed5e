// Every Connection API route against every kind of invalid key.
import { describeBadKeys } from "./bad-keys.ts";
import { NOWHERE, TABLE } from "./world.ts";

describeBadKeys([...TABLE, ...NOWHERE]);
