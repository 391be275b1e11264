import Testing
import Uploads

struct AdmissionTests {
  static let now: Int64 = 1_000_000

  static func record(
    _ stage: UploadRecord.Stage = .open, size: Int64 = 100, offset: Int64 = 0,
    claimedUntil: Int64 = 0, expiresAt: Int64 = now + 1, isUserActive: Bool = true
  ) -> UploadRecord {
    UploadRecord(
      fileID: "f", userID: "u", isUserActive: isUserActive, stage: stage, name: "n", type: "",
      size: size, offset: offset, createdAt: 0, expiresAt: expiresAt, claimedUntil: claimedUntil)
  }

  private func admission(_ record: UploadRecord, _ request: TransferRequest) -> TransferAdmission {
    record.admission(of: request, at: Self.now)
  }

  private let whole = TransferRequest(.whole, length: 100)

  @Test
  func `A whole body starts at 0, whatever came before`() {
    #expect(admission(Self.record(), whole) == .begin(at: 0))
    #expect(admission(Self.record(offset: 40), whole) == .begin(at: 0))
    #expect(admission(Self.record(), TransferRequest(.whole, length: nil)) == .begin(at: 0))
  }

  @Test
  func `A whole body has the length of the upload`() {
    #expect(
      admission(Self.record(), TransferRequest(.whole, length: 99))
        == .refused(.incomplete(expected: 100, received: 99)))
    #expect(
      admission(Self.record(), TransferRequest(.whole, length: 101)) == .refused(.tooLarge(100)))
  }

  @Test
  func `A piece continues where the upload stands`() {
    let record = Self.record(offset: 40)
    #expect(admission(record, TransferRequest(.piece(at: 40), length: 60)) == .begin(at: 40))
    #expect(admission(record, TransferRequest(.piece(at: 40), length: 0)) == .begin(at: 40))
    for offset in [0, 39, 41, 100, Int64.max] as [Int64] {
      #expect(
        admission(record, TransferRequest(.piece(at: offset), length: 1)) == .refused(.offset(40)))
    }
    #expect(
      admission(record, TransferRequest(.piece(at: 40), length: 61)) == .refused(.tooLarge(100)))
    #expect(
      admission(record, TransferRequest(.piece(at: 40), length: .max))
        == .refused(.tooLarge(100)))
  }

  @Test
  func `One request writes at a time, and that is said before the offset`() {
    let record = Self.record(offset: 40, claimedUntil: Self.now + 1)
    #expect(admission(record, TransferRequest(.piece(at: 7), length: 1)) == .refused(.locked))
    #expect(admission(record, whole) == .refused(.locked))
    let freed = Self.record(offset: 40, claimedUntil: Self.now)
    #expect(admission(freed, whole) == .begin(at: 0))
  }

  @Test
  func `A claim from before the clock was set back holds nothing up`() {
    let record = Self.record(claimedUntil: Self.now + 3_600_000)
    #expect(admission(record, whole) == .begin(at: 0) && record.status(at: Self.now) == .waiting)
    #expect(admission(Self.record(claimedUntil: Self.now + 30_000), whole) == .refused(.locked))
  }

  @Test
  func `A complete upload takes nothing`() {
    let record = Self.record(.complete, offset: 100)
    #expect(admission(record, whole) == .complete)
    #expect(
      admission(record, TransferRequest(.piece(at: 100), length: 0)) == .refused(.offset(100)))
  }

  @Test
  func `Cancelled and expired uploads, and those of a user who is gone, are gone`() {
    let gone = [
      Self.record(.cancelled), Self.record(.expired), Self.record(expiresAt: Self.now),
      Self.record(.complete, expiresAt: Self.now), Self.record(isUserActive: false),
      Self.record(.complete, offset: 100, isUserActive: false),
    ]
    for record in gone {
      #expect(admission(record, whole) == .refused(.gone))
      #expect(admission(record, TransferRequest(.piece(at: 0), length: 1)) == .refused(.gone))
    }
  }

  @Test
  func `The status follows from what came`() {
    #expect(Self.record().status(at: Self.now) == .waiting)
    #expect(Self.record(claimedUntil: Self.now + 1).status(at: Self.now) == .uploading)
    #expect(Self.record(offset: 1).status(at: Self.now) == .uploading)
    #expect(Self.record(.cancelled).status(at: Self.now) == .cancelled)
    #expect(Self.record(.complete).status(at: Self.now) == .complete)
    #expect(Self.record(.complete, expiresAt: Self.now).status(at: Self.now) == .expired)
  }
}
