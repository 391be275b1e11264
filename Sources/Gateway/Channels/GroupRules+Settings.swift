import Channels
import Configuration

extension GroupRules {
  init(_ settings: GroupSettings) {
    self.init()
    memberLimit = settings.maxMembers
    superMemberLimit = settings.maxSuperMembers
    joinedLimit = settings.maxJoined
    invitedLimit = settings.maxInvited
    acceptsInvitations = settings.autoAccept
    onlyOperatorsInvite = settings.inviteBy == .operators
    receiptMemberLimit = settings.receiptMemberLimit
    hasDeliveries = settings.hasDeliveryReceipts
    allowsPrivateReads = settings.allowsPrivateReads
    showsPastMessages = settings.displaysPastMessages
  }
}
