import Testing

@testable import Gateway

@Suite("Channel reservations of lost connections")
struct LostPlacesTests {
  @Test("a reservation counts until it expires, or until the user leaves")
  func ends() {
    var places = LostPlaces(perUser: 10)
    places.add("lobby", of: "ada", at: 0, until: 60)
    places.add("lounge", of: "ada", at: 10, until: 70)
    #expect(places.channels(of: "ada", at: 59) == ["lobby", "lounge"])
    #expect(places.channels(of: "ada", at: 60) == ["lounge"])
    #expect(places.channels(of: "bob", at: 1) == [])
    places.remove("lounge", of: "ada")
    #expect(places.channels(of: "ada", at: 11) == ["lobby"])
  }

  @Test("a second loss extends a reservation, and the expiry of the first does not end it")
  func prolonged() {
    var places = LostPlaces(perUser: 10)
    places.add("lobby", of: "ada", at: 0, until: 60)
    places.add("lobby", of: "ada", at: 50, until: 110)
    for number in 0..<200 { places.add("c", of: "u\(number)", at: 61, until: 121) }
    #expect(places.channels(of: "ada", at: 100) == ["lobby"])
    #expect(places.channels(of: "ada", at: 110) == [])
  }

  @Test("a user who repeatedly enters and disconnects has at most the limit per user")
  func bounded() {
    var places = LostPlaces(perUser: 3)
    for number in 0..<200 { places.add("c\(number)", of: "ada", at: 0, until: 60) }
    #expect(places.channels(of: "ada", at: 1) == ["c197", "c198", "c199"])
  }
}
