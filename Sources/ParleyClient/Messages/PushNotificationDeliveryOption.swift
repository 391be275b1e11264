/// Whether those who are away are to be notified of a message.
public enum PushNotificationDeliveryOption: String, Sendable, Hashable {
  /// As the recipients wish.
  case `default`
  /// Not for this message.
  case suppress
}
