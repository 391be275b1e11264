/// `message.create_metaarray_keys`, `message.delete_metaarray_keys`.
package struct MessageMetaArrayKeys: Sendable, Hashable {
  package var reference: MessageReference
  /// 1 to 10, each once.
  package var keys: [String]

  package init(_ parameters: Fields) throws(ServiceError) {
    reference = try MessageReference(parameters)
    keys = try parameters.metaArrayKeys("keys")
  }
}

/// `message.add_metaarray_values`, `message.remove_metaarray_values`.
package struct MessageMetaArrayValues: Sendable, Hashable {
  package var reference: MessageReference
  /// 1 to 10 keys, in the order given.
  package var values: [MetaArray]

  package init(_ parameters: Fields) throws(ServiceError) {
    reference = try MessageReference(parameters)
    values = try parameters.metaArrayTable("values")
  }
}
