import type { IAuthenticateGeneric, Icon, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow";

export class GatewayApi implements ICredentialType {
  name = "gatewayApi";

  displayName = "Gateway API";

  icon: Icon = { light: "file:../icons/gateway.svg", dark: "file:../icons/gateway.dark.svg" };

  documentationUrl = "https://app.example.com/docs";

  properties: INodeProperties[] = [
    {
      displayName: "Gateway URL",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "https://app.example.com",
      description: "The address of your gateway, without a path",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description: "A key of the Account API. The trigger needs the scope manage.",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "X-Api-Key": "={{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: "/api/me" },
  };
}
