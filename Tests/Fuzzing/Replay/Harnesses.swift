/// Every harness by its name, which is that of its file and of its corpus.
enum Harnesses {
  static let all: [String: any Harness.Type] = [
    "ClientSession": ClientSessionHarness.self,
    "CommandParameters": CommandParametersHarness.self,
    "EmbeddedData": EmbeddedDataHarness.self,
    "ForwardedClient": ForwardedClientHarness.self,
    "HTTPFreshness": HTTPFreshnessHarness.self,
    "HTTPRequestParser": HTTPRequestParserHarness.self,
    "HTTPResponseParser": HTTPResponseParserHarness.self,
    "HTTPValues": HTTPValuesHarness.self,
    "Inflate": InflateHarness.self,
    "JSONDocument": JSONDocumentHarness.self,
    "LinkFinder": LinkFinderHarness.self,
    "MultipartParser": MultipartParserHarness.self,
    "OpenGraphExtractor": OpenGraphExtractorHarness.self,
    "PageText": PageTextHarness.self,
    "PageTokens": PageTokensHarness.self,
    "ProxyHeaderParser": ProxyHeaderParserHarness.self,
    "Pipeline": PipelineHarness.self,
    "ServerAddress": ServerAddressHarness.self,
    "SettingValues": SettingValuesHarness.self,
    "Token": TokenHarness.self,
    "ServiceAnswer": ServiceAnswerHarness.self,
    "WebAddress": WebAddressHarness.self,
    "WebSocketEndpoint": WebSocketEndpointHarness.self,
    "WebSocketHandshake": WebSocketHandshakeHarness.self,
  ]
}
