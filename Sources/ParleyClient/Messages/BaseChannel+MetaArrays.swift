/// Extra data of messages: polls, counters.
///
/// Authors and operators change the keys; every user who may send changes the values. Each
/// call returns the updated message.
extension BaseChannel {
  /// Adds keys without values; existing keys are unchanged.
  @discardableResult
  public func createMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.createKeys(reference(to: message), keys))
  }

  /// Removes keys with all their values.
  @discardableResult
  public func deleteMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.deleteKeys(reference(to: message), keys))
  }

  /// Appends values, and creates missing keys if the user may create keys.
  @discardableResult
  public func addMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.addValues(reference(to: message), metaArrays))
  }

  /// Removes values; the keys remain.
  @discardableResult
  public func removeMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.removeValues(reference(to: message), metaArrays))
  }
}
