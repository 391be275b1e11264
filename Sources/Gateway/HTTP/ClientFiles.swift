/// The files of the client for browsers that are in the executable, beside `parley.js` itself.
enum ClientFiles {
  /// Documents by their file names, which later versions share.
  static let parts: [String: EmbeddedDocument] = [
    "parley-store.js": script(DocumentContent.clientStore),
    "parley-store.d.ts": types(DocumentContent.clientStoreTypes),
    "parley-streams.js": script(DocumentContent.clientStreams),
    "parley-streams.d.ts": types(DocumentContent.clientStreamsTypes),
    "parley-views.js": script(DocumentContent.clientViews),
    "parley-views.d.ts": types(DocumentContent.clientViewsTypes),
    "parley-react.js": script(DocumentContent.clientReact),
    "parley-react.d.ts": types(DocumentContent.clientReactTypes),
    "parley-vue.js": script(DocumentContent.clientVue),
    "parley-vue.d.ts": types(DocumentContent.clientVueTypes),
    "parley-mock.js": script(DocumentContent.clientMock),
    "parley-mock.d.ts": types(DocumentContent.clientMockTypes),
  ]

  /// The modules that work with any version of others, which a page can name by their content.
  static let lasting = [
    LastingModule(DocumentContent.clientModule, stem: "parley-"),
    LastingModule(DocumentContent.clientStore, stem: "parley-store-"),
    LastingModule(DocumentContent.clientStreams, stem: "parley-streams-"),
    LastingModule(DocumentContent.clientViews, stem: "parley-views-"),
  ]

  static let scriptType = "text/javascript; charset=utf-8"
  static let typesType = "application/typescript; charset=utf-8"

  static func document(of module: LastingModule) -> EmbeddedDocument {
    EmbeddedDocument(module.content, mediaType: scriptType, lifetime: .lasting)
  }

  private static func script(_ content: [UInt8]) -> EmbeddedDocument {
    EmbeddedDocument(content, mediaType: scriptType)
  }

  private static func types(_ content: [UInt8]) -> EmbeddedDocument {
    EmbeddedDocument(content, mediaType: typesType)
  }
}
