/** Preloaded modules that each remove one of the bridge's hooks into Baileys or libsignal. */
const module = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** A preloaded module that removes a hook from a library's exports. */
const exported = (code: string): string =>
  module(
    `import * as baileys from ${JSON.stringify(import.meta.resolve("baileys"))}; import libsignal from ${JSON.stringify(import.meta.resolve("libsignal"))}; ${code}`,
  );

/** A preloaded module that rewrites Baileys' files as they are loaded. */
const rewritten = (file: string, from: string, to: string): string =>
  module(`
    import { registerHooks } from "node:module";
    import { readFileSync } from "node:fs";
    registerHooks({ load(url, context, next) {
      if (!url.includes("/baileys/lib/") || !url.includes(${JSON.stringify(file)})) return next(url, context);
      return { format: "module", shortCircuit: true, source: readFileSync(new URL(url), "utf8").replaceAll(${JSON.stringify(from)}, () => ${JSON.stringify(to)}) };
    } });`);

const repository = (code: string): string =>
  exported(`const { DEFAULT_CONNECTION_CONFIG: config } = baileys; const make = config.makeSignalRepository;
    config.makeSignalRepository = (...given) => { const made = make(...given); ${code}; return made; };`);

const REPOSITORY_METHODS = [
  "decryptMessage",
  "decryptGroupMessage",
  "encryptMessage",
  "encryptGroupMessage",
  "processSenderKeyDistributionMessage",
  "injectE2ESession",
  "migrateSession",
];
const LISTENED = [
  "message",
  "receipt",
  "notification",
  "call",
  "presence",
  "chatstate",
  "success",
  "ack,class:message",
  "ib,,offline_preview",
  "ib,,offline",
];

export const REMOVED_HOOKS: readonly [hook: string, beforehand: string][] = [
  ["WA_CERT_DETAILS.PUBLIC_KEY", exported("Object.freeze(baileys.WA_CERT_DETAILS);")],
  ["Curve.verify", exported("Object.freeze(baileys.Curve);")],
  ["SessionCipher.decryptWithSessions", exported("delete libsignal.SessionCipher.prototype.decryptWithSessions;")],
  ["SessionEntry.serialize and deserialize", exported("delete libsignal.SessionRecord.createEntry().constructor.deserialize;")],
  ["makeSignalRepository (configuration)", exported("delete baileys.DEFAULT_CONNECTION_CONFIG.makeSignalRepository;")],
  ["unknown action emitted as a locale", rewritten("/chat-utils.js", "value: action.localeSetting.locale", "value: ''")],
  [
    "past participants of a history passed on",
    rewritten("/Utils/history.js", "pastParticipants: item.pastParticipants", "pastParticipants: []"),
  ],
  [
    "change of the app state announced to the logger",
    rewritten("/chat-utils.js", "logger?.trace({ syncAction, initialSync: !!initialSyncOpts }, 'processing sync action');", ""),
  ],
  ["nested key transactions", rewritten("/auth-utils.js", "if (existing) {", "if (false) {")],
  [
    "order of keys.transaction",
    rewritten("/auth-utils.js", "return await mutex.runExclusive(async () => {", "return await (async (work) => work())(async () => {"),
  ],
  [
    "keys.transaction of two locks at once",
    rewritten("/auth-utils.js", "const mutex = getTxMutex(key);", 'const mutex = getTxMutex("all");'),
  ],
  [
    "sock.ws.socket.send",
    rewritten("/websocket.js", "this.socket?.send(str, cb)", "Object.getPrototypeOf(this.socket).send.call(this.socket, str, cb)"),
  ],
  ["sock.ws.socket", rewritten("/websocket.js", "this.socket", "this.hidden")],
  [
    "makeSignalRepository and sock.signalRepository",
    rewritten(
      "/Socket/socket.js",
      "makeSignalRepository({ creds, keys }, logger, pnFromLIDUSync)",
      "{ ...makeSignalRepository({ creds, keys }, logger, pnFromLIDUSync) }",
    ),
  ],
  ...REPOSITORY_METHODS.map((name): [string, string] => [`signalRepository.${name}`, repository(`delete made.${name}`)]),
  ...["storeLIDPNMappings", "getLIDForPN", "getLIDsForPNs"].map((name): [string, string] => [
    `lidMapping.${name}`,
    repository(`made.lidMapping.${name} = undefined`),
  ]),
  ["sock.authState.keys", rewritten("/Socket/socket.js", "authState: { creds, keys }", "authState: { creds, keys: { ...keys } }")],
  ...LISTENED.map((name): [string, string] => [`CB:${name} (listened to)`, rewritten("/Socket/", `'CB:${name}'`, "'CB:renamed'")]),
  ["sock.ev.emit", rewritten("/Socket/socket.js", "makeEventBuffer(logger)", "Object.freeze(makeEventBuffer(logger))")],
  [
    "ack announced to the logger, and written plain",
    rewritten("/messages-recv.js", "logger.debug({ recv: { tag: node.tag, attrs: node.attrs }, sent: stanza.attrs }, 'sent ack');", ""),
  ],
  [
    "relayMessage reading the additional nodes as it writes",
    rewritten("/messages-send.js", "stanza.content.push(...additionalNodes);\n            }", "} await undefined;"),
  ],
  [
    "relayMessage reading a channel message's id as it writes",
    rewritten("/messages-send.js", "logger.debug({ msgId }, `sending newsletter message to ${jid}`);", "await undefined;"),
  ],
  ["app-state versions read in a key transaction", rewritten("/chats.js", "authState.keys.get('app-state-sync-version', [name])", "({})")],
  ["sock.resyncAppState", rewritten("/chats.js", "        resyncAppState,\n", "        renamed: resyncAppState,\n")],
  ["userDevicesCache (configuration)", rewritten("/messages-send.js", "config.userDevicesCache ||", "config.renamed ||")],
  ["sock.ws unexpected-response", rewritten("/websocket.js", ", 'unexpected-response'", "")],
  ["sock.ws.emit frame", rewritten("/Socket/socket.js", "ws.emit('frame', frame)", "ws.emit('renamed', frame)")],
];
