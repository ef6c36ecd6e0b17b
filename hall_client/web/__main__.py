from hall_client.web.main import main

main()
