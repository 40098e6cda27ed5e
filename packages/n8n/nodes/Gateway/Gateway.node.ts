import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from "n8n-workflow";
import { properties, resources } from "./generated/properties.ts";
import { searchChats, searchContacts, searchGroups, searchInstances } from "./lists.ts";
import { attachFile, checkPath, identify } from "./requests.ts";
import { PAGES, read } from "./responses.ts";

export class Gateway implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Gateway",
    name: "gateway",
    icon: { light: "file:../../icons/gateway.svg", dark: "file:../../icons/gateway.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Send and read WhatsApp messages",
    defaults: { name: "Gateway" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "gatewayApi", required: true }],
    requestDefaults: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      headers: { Accept: "application/json" },
      ignoreHttpStatusErrors: true,
    },
    requestOperations: { pagination: PAGES },
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: resources,
        default: "messages",
        // The resource is always shown, so these functions run for every operation.
        routing: { send: { preSend: [checkPath, attachFile, identify] }, output: { postReceive: [read] } },
      },
      ...properties,
    ],
  };

  methods = { listSearch: { searchChats, searchContacts, searchGroups, searchInstances } };
}
