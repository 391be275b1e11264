/// Extra data of messages: polls, counters.
///
/// Authors and operators change the keys, every participant who may send changes the values. Each
/// call returns the message as it is now.
extension OpenChannel {
  /// Adds keys without values; those that are there already stay as they are.
  @discardableResult
  public func createMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.createKeys(reference(to: message), keys))
  }

  /// Leaves keys out, with all their values.
  @discardableResult
  public func deleteMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.deleteKeys(reference(to: message), keys))
  }

  /// Adds values behind those that are there, creating keys for those who may create them.
  @discardableResult
  public func addMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.addValues(reference(to: message), metaArrays))
  }

  /// Leaves values out; the keys stay.
  @discardableResult
  public func removeMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.removeValues(reference(to: message), metaArrays))
  }
}
